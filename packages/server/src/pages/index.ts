export { assetsPath, consoleBuild } from './build.ts';
export { writeDocument } from './document.ts';
export { addAssets, addPages } from './routes.ts';
export { sendPage } from './send-page.ts';
