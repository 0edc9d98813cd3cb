import { checkUserReceivedOrSentKudos, contextFor, giveKudos } from '@latchkey/core';
import { type Command, need, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

interface Shown {
  givenAt: string;
  fromUserId: string;
  toUserId: string;
  kind: string;
  words: string;
}

export const kudos: Command = {
  usage: 'kudos list <user> [received|sent|<kind>] | give <community> <from> <to> <kind> <words> --reason "…"',
  meaning: 'list a user’s kudos, or give kudos on behalf of a member',
  words: 200,
  options: { reason: option.reason },
  run: async (ctx, [verb, first, ...rest], options) => {
    if (verb === 'list') {
      const [type = 'received'] = rest;
      const found = await checkUserReceivedOrSentKudos(ctx, { userId: need(first, 'user id'), type });
      // The lookup returns an open object; these are the fields it sets.
      const rows = found.kudos as Shown[];
      return printTable([
        ['GIVEN', 'FROM', 'TO', 'KIND', 'WORDS'],
        ...rows.map((one) => [one.givenAt, one.fromUserId, one.toUserId, one.kind, one.words]),
      ]);
    }
    if (verb !== 'give') throw unknownSubcommand(verb);
    const [from, to, kind, ...words] = rest;
    const userId = need(from, 'sender: the user id of the member who gives the kudos');
    const acting = { kind: 'user', userId, platform: 'discord', credential: 'operator-token' } as const;
    const giver = contextFor(ctx, { ...acting, scopes: ['$all'] });
    const communityId = need(first, 'community id');
    const given = {
      communityId,
      toUserId: need(to, 'recipient: the user id of the member who gets the kudos'),
      kind: need(kind, 'kind of kudos'),
      words: need(words.join(' '), 'message: what the kudos are for'),
    };
    const reason = need(options.reason?.trim(), '--reason: you are acting on behalf of another user');
    const details = { to: given.toUserId, kind: given.kind };
    const use = { action: 'kudos.give', subject: userId, communityId, reason, details } as const;
    const { jwt } = await runAudited(ctx, use, () => giveKudos(giver, given));
    print(`Kudos given. Credential:\n${jwt}`);
  },
};
