export { guestRolesFeature } from './feature.ts';
