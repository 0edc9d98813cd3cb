import type { RuleSet } from '@latchkey/core/rule-files';
import { Document, isSeq } from 'yaml';
import { yamlStyle } from './style.ts';
import { writeCommunity } from './write-community.ts';

const header = ` Rules of a Latchkey community. Check them with “latchkey rules test”, and see what a change does with “latchkey rules plan”.
 yaml-language-server: $schema=./node_modules/@latchkey/cli/dist/latchkey.schema.json`;

/** A file without communities. */
export function newDocument(): Document {
  const document = new Document({ version: 1 });
  document.commentBefore = header;
  return document;
}

/** Adds a community as it is. */
export function addCommunity(document: Document, ruleSet: RuleSet): void {
  const communities = document.get('communities');
  const entry = writeCommunity(ruleSet, new Map());
  if (isSeq(communities)) communities.add(document.createNode(entry));
  else document.set('communities', document.createNode([entry]));
}

/** The file that `pull` writes for a community where there is none. */
export function newFile(ruleSet: RuleSet): string {
  const document = newDocument();
  addCommunity(document, ruleSet);
  return document.toString(yamlStyle);
}
