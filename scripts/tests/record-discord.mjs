// Preloaded by the deep check of Discord's description: writes every exchange of the Discord emulator in this process to a file.

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const file = process.env.LATCHKEY_DISCORD_EXCHANGES;
if (file !== undefined)
  subscribe('latchkey.discord-emulator', (exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`));
