export { addPages } from './routes.ts';
export { sendPage } from './send-page.ts';
