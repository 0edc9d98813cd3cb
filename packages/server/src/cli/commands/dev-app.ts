import { createDevelopmentApp } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import type { Command } from '../command.ts';
import { onRecord } from '../on-record.ts';
import { print } from '../print.ts';

export const devApp: Command = {
  usage: 'dev-app [name] [--scopes "…"] [--user id] [--reason "…"]',
  meaning: 'make an approved client application for development',
  run: async (ctx, [name = 'Development'], options) => {
    const wanted = { userId: options.user ?? '$admin', name, scopes: splitScopes(options.scopes ?? '$all') };
    const details = { name, scopes: wanted.scopes };
    const use = { action: 'app.create', subject: wanted.userId, reason: options.reason, details } as const;
    const app = await onRecord(ctx, use, () => createDevelopmentApp(ctx, wanted));
    print(`Client application ${app.id} is approved. Its API key, shown only this once:\n${app.apiKey}`);
    print(
      `\nTry:\n  curl -H 'x-api-key: ${app.apiKey}' -H 'content-type: application/json' -d '{"hello":"world"}' ${ctx.settings.baseUrl}/states`,
    );
  },
};
