export { addAssets, addPages, assetsPath, consoleBuild, sendPage, writeDocument } from './routes.ts';
