// A command for chat communities: /roll answers with a die. Only what the Latchkey server has signed reaches it.
import { randomInt } from 'node:crypto';
import { createMiniApp, say } from '@latchkey/miniapp';
import { serve } from '@latchkey/miniapp/node';

const latchkey = process.env.LATCHKEY_URL ?? 'http://localhost:3000';

const metadata = {
  manifest: { appId: 'dice', developer: 'me', appType: 'action', name: 'Dice', shortName: 'dice' },
  applicationCommands: [{ name: 'roll', description: 'Roll a die', type: 1 }],
  supportedInteractions: [{ type: 2, names: ['roll'] }],
};

// The server publishes the keys that it signs with.
const config = await (await fetch(`${latchkey}/config`)).json();
const app = createMiniApp({
  keys: { ed25519: config.actionEd25519PublicKey, ecdsa: config.actionEcdsaPublicKey },
  metadata,
  onInteraction: () => say(`You rolled a ${randomInt(1, 7)}.`),
});
const { port } = await serve(app, { port: Number(process.env.PORT ?? 3083) });
console.log(`http://localhost:${port}`);
