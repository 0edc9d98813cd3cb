import { join, relative } from 'node:path';
import { packAll } from './pack.ts';
import { publishable } from './publishable.ts';
import { root } from './run-tool.ts';

for (const { name, tarball, size } of await packAll(publishable, join(root, 'dist')))
  console.log(`${name}: ${relative(process.cwd(), tarball)} (${Math.ceil(size / 1024)} kB)`);
console.log('Install one into your project with: npm install <path of the tarball>');
