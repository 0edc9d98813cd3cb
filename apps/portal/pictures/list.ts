import { connectPictures } from './connect.ts';
import { consolePictures } from './console.ts';
import { messagePictures } from './messages.ts';
import type { Picture } from './picture.ts';
import { rulePictures } from './rules.ts';

/**
 * Every picture of the help pages: which screen it is of, and which part of it. `npm run shots -- --pages` takes them in
 * this order.
 */
export const pictures: readonly Picture[] = [
  ...rulePictures,
  ...consolePictures,
  ...messagePictures,
  ...connectPictures,
];
