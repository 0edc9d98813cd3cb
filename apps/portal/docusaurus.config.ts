import { createRequire } from 'node:module';

// Node.js reads the configuration itself: Docusaurus would have Babel rewrite each of its files first, for seconds.
export default createRequire(import.meta.url)('./config/docusaurus.ts').default;
