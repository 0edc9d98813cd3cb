import { createDevelopmentApp } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import type { Command } from '../command.ts';
import { print } from '../print.ts';

export const devApp: Command = {
  usage: 'dev-app [name] [--scopes "…"] [--user id]',
  meaning: 'make an approved client application for development',
  run: async (ctx, [name = 'Development'], options) => {
    const app = await createDevelopmentApp(ctx, {
      userId: options.user ?? '$admin',
      name,
      scopes: splitScopes(options.scopes ?? '$all'),
    });
    print(`Client application ${app.id} is approved. Its API key, shown only this once:\n${app.apiKey}`);
    print(
      `\nTry:\n  curl -H 'x-api-key: ${app.apiKey}' -H 'content-type: application/json' -d '{"hello":"world"}' ${ctx.settings.baseUrl}/states`,
    );
  },
};
