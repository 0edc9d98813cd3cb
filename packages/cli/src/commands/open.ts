import type { RuleSet } from '@latchkey/core/rule-files';
import type { RuleSetApi } from '../api.ts';
import { type Compiled, compileCommunity, platformRoles } from '../file/compile.ts';
import { loadFiles } from '../file/load.ts';
import type { CommunityInFile } from '../file/read-communities.ts';
import { UsageError } from '../problems.ts';
import type { Terminal } from '../terminal.ts';

/** The options that the commands share. */
export interface Options {
  /** The file or folder. */
  file: string;
  /** Only this community. */
  community?: string | undefined;
  /** Values of variables, from --var. */
  variables: Readonly<Record<string, string>>;
  json: boolean;
  out?: string | undefined;
  members: boolean;
  wait: boolean;
  /** How long --wait waits for a community. */
  waitMinutes: number;
  check: boolean;
  /** Whether only what a pull request showed is applied. */
  reviewed: boolean;
}

const variablePrefix = 'LATCHKEY_VAR_';

/**
 * The values that override those in the files: --var, then LATCHKEY_VAR_<NAME> of the environment. Nothing else of the environment
 * gets into a file, because a file by someone else could ask for the API key.
 */
export function givenVariables(terminal: Pick<Terminal, 'environment'>, options: Options): Record<string, string> {
  const fromEnvironment = Object.entries(terminal.environment).flatMap(([name, value]): [string, string][] =>
    name.startsWith(variablePrefix) && value !== undefined ? [[name.slice(variablePrefix.length), value]] : [],
  );
  return { ...Object.fromEntries(fromEnvironment), ...options.variables };
}

/** Reads the files, and returns the communities that the command is about. */
export async function openCommunities(terminal: Terminal, options: Options): Promise<CommunityInFile[]> {
  const all = await loadFiles(terminal.folder, options.file, givenVariables(terminal, options));
  const { community } = options;
  const chosen = community === undefined ? all : all.filter(({ value }) => value.community === community);
  if (chosen.length > 0) return chosen;
  if (community === undefined) throw new UsageError(`${options.file} describes no community.`);
  const known = all.map(({ value }) => String(value.community)).join(', ');
  throw new UsageError(`${options.file} does not describe ${community}, only ${known || 'no community'}.`);
}

export interface OpenCommunity extends Compiled {
  community: CommunityInFile;
  ruleSet: RuleSet;
}

/** Reads a community from the server and resolves the names in its file. */
export async function openOnServer(api: RuleSetApi, community: CommunityInFile): Promise<OpenCommunity> {
  const ruleSet = await api.getRuleSet(String(community.value.community));
  return { community, ruleSet, ...compileCommunity(community, platformRoles(ruleSet, community.value)) };
}

export function titleOf({ communityId, communityName }: Pick<RuleSet, 'communityId' | 'communityName'>): string {
  return communityName === '' ? communityId : `${communityName} (${communityId})`;
}
