export { density, pictureFile, picturesFolder, type Theme, themes } from './files.ts';
export { pictures } from './list.ts';
export type { Picture, Step } from './picture.ts';
