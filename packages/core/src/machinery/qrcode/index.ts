export { qrcodeFeature } from './feature.ts';
export { drawQrCode } from './generate.ts';
