export { createTokenproof, type TokenproofOptions } from './create-tokenproof.ts';
