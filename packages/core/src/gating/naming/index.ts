export { plainName } from './plain-name.ts';
export { type Names, nameReasons, readNames } from './read-names.ts';
