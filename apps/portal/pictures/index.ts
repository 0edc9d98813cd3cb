export { density, pictureFile, picturesFolder, type Theme, themes } from './files.ts';
export { type Picture, pictures, type Step } from './list.ts';
export { type Recording, recordings } from './recordings.ts';
