import { feature } from '../../feature.ts';
import { qrcode } from './operations.ts';

export const qrcodeFeature = feature('qrcode', { resources: [qrcode] });
