import { type ClientApplication, createDevelopmentApp } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import { type Command, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const clientTypes = ['confidential', 'public'] as const;

function clientTypeOf(text: string | undefined): (typeof clientTypes)[number] | undefined {
  const known = clientTypes.find((clientType) => clientType === text);
  if (text === undefined || known !== undefined) return known;
  throw new UsageError(`Unknown client type: ${text}. Use one of ${clientTypes.join(', ')}.`);
}

export const devApp: Command = {
  usage:
    'dev-app [name] [--redirect-uri "…"] [--client-type confidential|public] [--scopes "…"] [--user id] [--reason "…"]',
  meaning: 'create an approved client application for development; with redirect URIs it can sign users in',
  words: 1,
  options: {
    'redirect-uri': option.long('Redirect URIs, separated by spaces.'),
    'client-type': option.short('confidential or public.'),
    scopes: option.scopes,
    user: option.user,
    reason: option.reason,
  },
  run: async (ctx, [name = 'Development'], options) => {
    const redirectUris = (options['redirect-uri'] ?? '').split(/\s+/).filter((uri) => uri !== '');
    const clientType = clientTypeOf(options['client-type']);
    if (clientType !== undefined && redirectUris.length === 0)
      throw new UsageError('Set the address that logins return to with --redirect-uri.');
    const wanted = {
      ...{ userId: options.user ?? '$admin', name, scopes: splitScopes(options.scopes ?? '$all'), redirectUris },
      ...(clientType !== undefined && { clientType }),
    };
    const details = { name, scopes: wanted.scopes, redirectUris };
    const use = { action: 'app.create', subject: wanted.userId, reason: options.reason, details } as const;
    const app = await runAudited(ctx, use, () => createDevelopmentApp(ctx, wanted));
    print(`Client application ${app.id} is approved. Its API key, shown only once:\n${app.apiKey}`);
    print(`Callbacks (callbackUrl) are signed with this secret, shown only once:\n${app.secret}`);
    print(redirectUris.length > 0 ? sayLogin(app, ctx.settings.baseUrl) : sayCall(app, ctx.settings.baseUrl));
  },
};

function sayCall({ apiKey }: ClientApplication, baseUrl: string): string {
  return `\nTry:\n  curl -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' -d '{"hello":"world"}' ${baseUrl}/states`;
}

function sayLogin({ id, clientSecret, redirectUris = [] }: ClientApplication, baseUrl: string): string {
  return [
    '\nFor your OAuth2 or OpenID Connect client:',
    `  issuer         ${baseUrl}`,
    `  client id      ${id}`,
    `  client secret  ${clientSecret ?? 'none; send PKCE with S256'}`,
    `  redirect URIs  ${redirectUris.join(' ')}`,
  ].join('\n');
}
