export { plainName } from './plain-name.ts';
export { type Names, nameReasons, readNames, readTokenNames } from './read-names.ts';
export { chainInWords } from './token-in-words.ts';
