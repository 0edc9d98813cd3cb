export { guestPassHoldersFeature } from './feature.ts';
