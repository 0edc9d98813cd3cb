import { checkUserReceivedOrSentKudos, contextFor, giveKudos } from '@latchkey/core';
import { type Command, need, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { onRecord } from '../on-record.ts';
import { print, printTable } from '../print.ts';

interface Shown {
  givenAt: string;
  fromUserId: string;
  toUserId: string;
  kind: string;
  words: string;
}

export const kudos: Command = {
  usage: 'kudos list <user> [received|sent|<kind>] | give <community> <from> <to> <kind> <words> --reason "…"',
  meaning: 'see thanks among members, or give them in the name of one',
  words: 200,
  options: { reason: option.reason },
  run: async (ctx, [verb, first, ...rest], options) => {
    if (verb === 'list') {
      const [type = 'received'] = rest;
      const found = await checkUserReceivedOrSentKudos(ctx, { userId: need(first, 'the id of the user'), type });
      // The lookup answers with an open object; these are the fields it puts there.
      const rows = found.kudos as Shown[];
      return printTable([
        ['GIVEN', 'FROM', 'TO', 'KIND', 'WORDS'],
        ...rows.map((one) => [one.givenAt, one.fromUserId, one.toUserId, one.kind, one.words]),
      ]);
    }
    if (verb !== 'give') throw unknownSubcommand(verb);
    const [from, to, kind, ...words] = rest;
    const userId = need(from, 'who gives them');
    const acting = { kind: 'user', userId, platform: 'discord', credential: 'operator-token' } as const;
    const giver = contextFor(ctx, { ...acting, scopes: ['$all'] });
    const communityId = need(first, 'the id of the community');
    const given = {
      communityId,
      toUserId: need(to, 'who receives them'),
      kind: need(kind, 'what kind they are'),
      words: need(words.join(' '), 'what they are for'),
    };
    const reason = need(options.reason?.trim(), 'why with --reason: you act in the name of somebody');
    const details = { to: given.toUserId, kind: given.kind };
    const use = { action: 'kudos.give', subject: userId, communityId, reason, details } as const;
    const { jwt } = await onRecord(ctx, use, () => giveKudos(giver, given));
    print(`Given. The credential that proves it:\n${jwt}`);
  },
};
