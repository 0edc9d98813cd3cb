import { defineModule } from '../../shared/module.ts';
import { qrcode } from './operations.ts';

export { drawQrCode } from './operations.ts';

export const qrcodeModule = defineModule('qrcode', { resources: [qrcode] });
