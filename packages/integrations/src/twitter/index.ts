import { digitsOf, type Fields, fieldsOf, listOf, parseEntries, textOf, unknown } from '@latchkey/adapter-kit';
import type { Answer, HoldingsReader, Question } from '@latchkey/core/ports';
import { type Ask, createHttpReader, type HttpHoldingsOptions } from '../http-holdings/index.ts';

const service = 'X';
const usersPerRequest = 100;
const userFields = 'created_at,description,location,name,protected,public_metrics,username,verified,verified_type';

/**
 * Reads the `profile` of `twitter:twitter`: the profile of an X account, by its id or name, as the traits of one token. It uses API version
 * 2; the key is the application's bearer token.
 */
export function createTwitterHoldings(options: HttpHoldingsOptions): HoldingsReader {
  const reads: HoldingsReader['reads'] = ({ chain, standard }) => chain === 'twitter:twitter' && standard === 'profile';
  const headers: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
  const read = async (questions: readonly Question[], ask: Ask) => {
    const accounts = [...new Set(questions.map(({ account }) => keyOf(account)))];
    const [ids, names] = [accounts.filter(isId), accounts.filter((account) => isName(account) && !isId(account))];
    const found = [
      ...(await readUsers('/2/users', 'ids', ids, ask)),
      ...(await readUsers('/2/users/by', 'usernames', names, ask)),
    ];
    const users = new Map(found);
    return questions.map(
      ({ account }) => users.get(keyOf(account)) ?? unknown(`${service} returned no data for this account.`),
    );
  };
  return createHttpReader({ service, reads, headers, read }, options);
}

function keyOf(account: string): string {
  return account.replace(/^@/, '').toLowerCase();
}

const isId = (account: string) => /^\d{1,19}$/.test(account);
const isName = (account: string) => /^\w{1,15}$/.test(account);

/** Returns the users by the requested id or name. */
async function readUsers(
  path: string,
  parameter: string,
  requested: readonly string[],
  ask: Ask,
): Promise<[string, Answer][]> {
  const answers: [string, Answer][] = [];
  for (let start = 0; start < requested.length; start += usersPerRequest) {
    const chunk = requested.slice(start, start + usersPerRequest).join(',');
    const { data = [], errors = [] } = fieldsOf(
      (await ask(path, { query: { [parameter]: chunk, 'user.fields': userFields } })).body,
      'the answer',
    );
    const users = parseEntries(data, { source: service, kind: 'user' }, (value): [string, Answer] => {
      const user = fieldsOf(value, 'a user');
      const key = parameter === 'ids' ? user.id : user.username;
      return [textOf(key, 'a user').toLowerCase(), describe(user)];
    });
    answers.push(...users.entries);
    for (const value of listOf(errors, 'the list of errors')) {
      const { title, value: missing } = fieldsOf(value, 'an error');
      // A suspended account gives another error and may come back: it is unknown, not gone.
      if (title === 'Not Found Error' && typeof missing === 'string')
        answers.push([missing.toLowerCase(), { kind: 'read', amount: '0', tokens: [] }]);
    }
  }
  return answers;
}

function describe(user: Fields): Answer {
  const { public_metrics: metrics, ...traits } = user;
  const all = { ...traits, ...(metrics === undefined ? {} : fieldsOf(metrics, 'the numbers of a user')) };
  const attributes = Object.entries(all).map(([name, value]) => ({ trait_type: name, value }));
  return {
    kind: 'read',
    amount: '1',
    tokens: [{ id: digitsOf(user.id, 'a number'), amount: '1', metadata: { attributes } }],
  };
}
