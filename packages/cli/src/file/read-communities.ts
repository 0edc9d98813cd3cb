import type { Fields } from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import type { FileProblem, Place } from '../problems.ts';
import { checkFile, suggest } from './check-file.ts';
import { type Located, readYaml, type YamlFile } from './read-yaml.ts';

/** A community as a file describes it. */
export interface CommunityInFile extends Located {
  value: Fields;
  /** Tokens by name: those of the file and of the community. */
  tokens: ReadonlyMap<string, Fields>;
  /** The file that contains it, and its position there. */
  yaml: YamlFile;
  index: number;
}

/** How much text a file may contain once variables and aliases stand for what they name. */
const mostText = 8_000_000;

interface Inherited {
  /** Values that override those in the file. */
  given: Readonly<Record<string, string>>;
  /** Of the file that includes this one. */
  inherited: Readonly<Record<string, string>>;
  inheritedTokens: ReadonlyMap<string, Fields>;
}

interface ReadFile {
  communities: CommunityInFile[];
  /** Undefined if the file cannot be used. */
  read: YamlFile | undefined;
  /** What the files that it includes inherit. */
  variables: Readonly<Record<string, string>>;
  tokens: ReadonlyMap<string, Fields>;
}

/** Reads the text of one file. What is wrong is added to `problems`. Works without a file system, so browsers run it too. */
export function readCommunities(
  shown: string,
  text: string,
  { given, inherited, inheritedTokens }: Inherited,
  problems: FileProblem[],
): ReadFile {
  const nothing: ReadFile = { communities: [], read: undefined, variables: {}, tokens: new Map() };
  // Variables are read first, from the same file.
  const plain = readYaml(shown, text, (value) => value).read.value;
  const own = isObject(plain) && isObject(plain.variables) ? plain.variables : {};
  const defined = {
    ...inherited,
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, String(value)])),
  };
  const variables = { ...defined, ...onlyDefined(defined, given) };
  const room = { left: mostText };
  const fill = (value: string, place: Place) => fillIn(value, place, { variables, room, problems });
  const { read, problems: malformed } = readYaml(shown, text, fill);
  problems.push(...malformed);
  if (malformed.length > 0) return nothing;
  const wrong = checkFile(read);
  problems.push(...wrong);
  if (wrong.length > 0 || !isObject(read.value)) return nothing;
  const tokens = new Map([...inheritedTokens, ...tokensIn(read.value)]);
  const listed = Array.isArray(read.value.communities) ? read.value.communities.filter(isObject) : [];
  const communities = listed.map(
    (value, index): CommunityInFile => ({
      value,
      tokens: new Map([...tokens, ...tokensIn(value)]),
      yaml: read,
      index,
      placeOf: (path) => read.placeOf(`/communities/${index}${path}`),
    }),
  );
  return { communities, read, variables: defined, tokens };
}

function tokensIn({ tokens }: Fields): [string, Fields][] {
  return isObject(tokens)
    ? Object.entries(tokens).flatMap(([name, fields]): [string, Fields][] => (isObject(fields) ? [[name, fields]] : []))
    : [];
}

/** What is given overrides variables, and adds none: a file names what it depends on. */
function onlyDefined(
  defined: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.keys(defined).flatMap((name) => {
      const value = given[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

interface Filling {
  variables: Readonly<Record<string, string>>;
  room: { left: number };
  problems: FileProblem[];
}

function fillIn(text: string, place: Place, { variables, room, problems }: Filling): string {
  const take = (value: string): string => {
    const had = room.left;
    room.left -= value.length;
    if (room.left >= 0) return value;
    const message = `With its variables and aliases, a file can have at most ${mostText / 1_000_000} MB.`;
    if (had >= 0) problems.push({ place, message });
    return '';
  };
  // Two dollar signs stand for one that begins no variable.
  return take(text).replaceAll(/\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return '${';
    if (Object.hasOwn(variables, name)) return take(variables[name] ?? '');
    problems.push({
      place,
      message: `There is no variable ${name}. Add it to \`variables\`.${suggest(name, Object.keys(variables))}`,
    });
    return whole;
  });
}

/** Problems with communities that are described twice. */
export function repeatedCommunities(communities: readonly CommunityInFile[]): FileProblem[] {
  const first = new Map<unknown, CommunityInFile>();
  return communities.flatMap((one) => {
    const { community } = one.value;
    if (!first.has(community)) {
      first.set(community, one);
      return [];
    }
    return [{ place: one.placeOf('/community'), message: `The community ${String(community)} is described twice.` }];
  });
}
