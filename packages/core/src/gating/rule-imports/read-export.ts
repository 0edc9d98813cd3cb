import { refused } from './fetch-original.ts';
import type { FoundRule, ImportSource } from './found-rule.ts';
import { readGuild } from './read-guild.ts';
import { readOriginal } from './read-original.ts';
import { readSheet, sheetColumns } from './read-sheet.ts';

export const mostRules = 1000;

/** Reads the text of an export: JSON, or CSV for sheets. */
export function readExport(source: ImportSource, content: string, nativeCommunityId: string): FoundRule[] {
  const found = readRules(source, parse(source, content), nativeCommunityId);
  if (found === undefined || found.length === 0) throw refused('/content', emptyAdvice[source]);
  if (found.length > mostRules)
    throw refused('/content', `The export has ${found.length} rules; ${mostRules} can be imported at a time.`);
  return found;
}

export function readRules(source: ImportSource, value: unknown, nativeCommunityId: string): FoundRule[] | undefined {
  if (source === 'original') return readOriginal(value);
  return source === 'guild' ? readGuild(value, nativeCommunityId) : readSheet(value);
}

const sheetAdvice = `No rules were found. Use a CSV file with a heading line, or a JSON list of objects. Columns: ${sheetColumns.join(', ')}.`;

const emptyAdvice: Readonly<Record<ImportSource, string>> = {
  original: 'No rules were found. Use the response of GET /communities/{id}/tpcs of the original.',
  guild: 'No roles were found. Use the JSON that Guild’s API returns for the guild, with its roles and requirements.',
  vulcan: sheetAdvice,
  matrica: sheetAdvice,
  sheet: sheetAdvice,
};

function parse(source: ImportSource, content: string): unknown {
  const isJson = /^\s*[[{]/.test(content);
  if (!isJson && source !== 'original' && source !== 'guild') return content;
  try {
    return JSON.parse(content);
  } catch {
    throw refused('/content', 'The export is not valid JSON. Check that the file was copied as a whole.');
  }
}
