import { readCaughtMails } from '../../compose/caught-mails.ts';
import { type Command, numberOf } from '../command.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';

export const mails: Command = {
  usage: 'mails [--limit 5]',
  meaning: 'show what the built-in mail catcher has caught',
  words: 0,
  options: { limit: option.limit },
  run: async (_ctx, _args, options, config) => {
    const caught = await readCaughtMails(config.mailCatcherPort);
    if (caught === undefined)
      throw new Error('No mail catcher is running. It runs with npm start, unless LATCHKEY_SMTP_URL is set.');
    if (caught.length === 0) return print('No mails yet.');
    for (const mail of caught.slice(0, numberOf(options.limit, 5, 'limit'))) {
      print(`${mail.receivedAt}  to ${mail.to.join(', ')}\n${mail.subject}\n\n${mail.text.trim()}\n`);
    }
  },
};
