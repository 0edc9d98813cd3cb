export { addPlatformLogins, type LoginRequests } from './routes.ts';
