import { serve } from '@latchkey/miniapp/node';
import { make } from './mini-app.js';

const app = make({ keys: { ed25519: process.env.LATCHKEY_ACTION_KEY, ecdsa: process.env.LATCHKEY_ECDSA_KEY } });
const { port } = await serve(app, { port: Number(process.env.PORT ?? 3080) });
console.log(`The mini-app listens on port ${port}.`);
