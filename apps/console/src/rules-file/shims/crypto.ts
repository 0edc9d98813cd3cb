import { sha256 } from '@noble/hashes/sha2.js';

/** What the evaluator of rules uses of `node:crypto`: one SHA-256 of a text, in base64. */
export function createHash(_name: 'sha256') {
  return {
    update: (text: string) => ({
      digest: (_encoding: 'base64') => btoa(String.fromCharCode(...sha256(new TextEncoder().encode(text)))),
    }),
  };
}
