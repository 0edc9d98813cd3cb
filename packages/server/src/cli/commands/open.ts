import { describeEntrance } from '../../console/index.ts';
import { findRunning } from '../../run/running-file.ts';
import { findSampleOwner } from '../../sandbox/index.ts';
import type { Command } from '../command.ts';
import { findServedUrl } from '../operator-context.ts';
import { print } from '../print.ts';

export const open: Command = {
  usage: 'open',
  meaning: 'print a new link that signs your browser in to the console; it works once, for 10 minutes',
  words: 0,
  options: {},
  run: async (ctx, _args, _options, { dataDir }) => {
    const { baseUrl } = ctx.settings;
    if ((await findServedUrl(ctx)) === undefined)
      throw new Error('No server is running on this database. Start it, then run this command again.');
    const running = await findRunning(dataDir);
    const entrance = await describeEntrance(ctx, running?.sampleWorld === true ? await findSampleOwner() : undefined);
    if (entrance === undefined)
      throw new Error(
        `Sign-in links work only on a server with a local address and an admin key that is not bound to IP addresses. Sign in at ${baseUrl}/console with a key from "latchkey admin-key create".`,
      );
    print(entrance);
  },
};
