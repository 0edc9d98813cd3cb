import { NoContent, op, user } from '@latchkey/kernel';
import { endConsoleSession, getConsoleSession, startConsoleSession } from './console-session.ts';
import { SignedIn } from './signed-in.ts';

export const consoleSessionOperations = [
  op(
    'POST /latchkey/session',
    {
      id: 'openConsoleSession',
      summary: 'Sign a browser in to the console',
      description:
        'Sets a cookie that stands for the caller on pages of this server: a person who signed in by wallet, passkey or chat account within the last 10 minutes, or the operator. It can do what the caller can, replaces the session that the browser had, and ends after 7 days, or 12 hours without use. Only pages of this server may call it, with the header `x-latchkey-console: 1`.',
      access: user(),
      returns: SignedIn,
      errors: ['CLIENT_NOT_ALLOWED', 'PRESENCE_REQUIRED'],
      facts: { needsNoKey: 'A second sign-in replaces the first.' },
    },
    startConsoleSession,
  ),
  op(
    'GET /latchkey/session',
    {
      id: 'getConsoleSession',
      summary: 'Get the signed-in user',
      description:
        'Returns whom the credential of this request stands for, how they were last present, and when their session ends. The console asks it first.',
      access: user(),
      returns: SignedIn,
    },
    getConsoleSession,
  ),
  op(
    'DELETE /latchkey/session',
    {
      id: 'endConsoleSession',
      summary: 'Log out of the console',
      description:
        'Ends the session of this browser in the console and deletes its cookie. Other sessions of the person go on.',
      audit: 'session.end',
      access: user(),
      returns: NoContent,
    },
    endConsoleSession,
  ),
] as const;
