export { plainName } from './plain-name.ts';
export { chainInWords, type Names, nameReasons, readNames, readTokenNames } from './read-names.ts';
