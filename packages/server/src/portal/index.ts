export { portalParts } from './parts.ts';
export { servePortal } from './start.ts';
