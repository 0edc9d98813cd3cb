import type { Catalogue } from '@latchkey/kernel/messages';
import type en from './en.ts';

export default {} satisfies Catalogue<typeof en>;
