import { allowSigningDomain, listSigningDomains, removeSigningDomain } from '@latchkey/core';
import { type Command, need, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const signingDomains: Command = {
  usage: 'signing-domains [<app id>] | allow|remove <app id> <0x…@chain or name:…> [--notes "…"]',
  meaning: 'show or set which typed data an application may request signatures for from hosted wallets',
  words: 3,
  options: { notes: option.notes },
  run: async (ctx, [verb, id, domain], { notes }) => {
    if (verb === 'allow' || verb === 'remove') {
      const named = {
        clientId: need(id, 'application id'),
        domain: need(domain, 'domain, for example 0x…@1 or "name:Snapshot"'),
      };
      const use = { target: named.clientId, reason: notes, details: { domain: named.domain } };
      if (verb === 'remove') {
        await runAudited(ctx, { ...use, action: 'signing-domain.remove' }, () => removeSigningDomain(ctx, named));
        return print('The application may no longer request signatures for this domain.');
      }
      const allowed = await runAudited(ctx, { ...use, action: 'signing-domain.allow' }, () =>
        allowSigningDomain(ctx, { ...named, notes }),
      );
      return print(`The application may now request typed data signatures for ${allowed}.`);
    }
    if (id !== undefined) throw unknownSubcommand(verb);
    const rows = await listSigningDomains(ctx, verb);
    if (rows.length === 0) return print('No application may request typed data signatures.');
    printTable([
      ['APPLICATION', 'DOMAIN', 'SINCE', 'NOTES'],
      ...rows.map((row) => [row.client_id, row.domain, row.created_at.toISOString(), row.notes ?? '']),
    ]);
  },
};
