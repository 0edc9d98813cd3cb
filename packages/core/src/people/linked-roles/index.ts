export { linkedRolesFeature } from './feature.ts';
export { getRegistration } from './registration.ts';
