export { picturesFeature } from './feature.ts';
export { findPicture, pictureAddresses, picturesPath, withPicture } from './find.ts';
export { rereadPicture } from './jobs.ts';
