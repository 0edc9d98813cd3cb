import type { EgressResponse } from '../../ports/index.ts';

/** A framework for which the original platform published a template of mini-apps. */
export type Framework = 'express' | 'fastapi';

/** Recognizes the framework of a mini-app by what its server sends at its defaults; a proxy may hide it. */
export function frameworkOf({ headers }: Pick<EgressResponse, 'headers'>): Framework | undefined {
  if (/^uvicorn\b/i.test(headers.server ?? '')) return 'fastapi';
  return headers['x-powered-by'] === 'Express' ? 'express' : undefined;
}

/** Where an app written from a template gets the key with which it verifies calls. */
export function whereKeyGoes(framework: Framework | undefined, baseUrl: string): string {
  return framework === 'fastapi'
    ? `An app from the original’s FastAPI template reads it from the address in api_url of utils/signature.py: write ${baseUrl}/config there.`
    : 'An app from the original’s templates reads it from COLLABLAND_ACTION_PUBLIC_KEY.';
}

/** Why an app written from a template accepts forged calls as published, and what to change; '' if none does. */
export function howToRefuse(framework: Framework | undefined): string {
  if (framework === 'express')
    return ' An app from the original’s Express template does so while .env has SKIP_VERIFICATION: remove that line.';
  if (framework === 'fastapi')
    return ' An app from the original’s FastAPI template does so for each call with the header X-Signature-Ecdsa: reject these in verify_signature.';
  return '';
}
