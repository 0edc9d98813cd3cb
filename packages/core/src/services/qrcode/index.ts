import { feature } from '../../shared/feature.ts';
import { qrcode } from './operations.ts';

export { drawQrCode } from './operations.ts';

export const qrcodeFeature = feature('qrcode', { resources: [qrcode] });
