import { type Command, numberOf, UsageError } from '../command.ts';
import { print } from '../print.ts';

interface CaughtMail {
  to: string[] | string;
  subject: string;
  text: string;
  receivedAt: string;
}

export const mails: Command = {
  usage: 'mails [--limit 5]',
  meaning: 'show what the built-in mail catcher has caught',
  run: async (_ctx, _args, options, config) => {
    const answer = await fetch(`http://127.0.0.1:${config.mailCatcherPort + 1}/messages`, {
      signal: AbortSignal.timeout(5_000),
    }).catch(() => undefined);
    if (answer === undefined || !answer.ok)
      throw new UsageError('No mail catcher is running. It runs with npm start, unless LATCHKEY_SMTP_URL is set.');
    const caught = (await answer.json()) as CaughtMail[];
    if (caught.length === 0) return print('No mails yet.');
    for (const mail of caught.slice(0, numberOf(options.limit, 5, 'limit'))) {
      print(`${mail.receivedAt}  to ${[mail.to].flat().join(', ')}\n${mail.subject}\n\n${mail.text.trim()}\n`);
    }
  },
};
