export { portalParts } from './parts.ts';
export { servePortal } from './serve.ts';
