export { drawQrCode } from './generate.ts';
export { qrcode } from './operations.ts';
