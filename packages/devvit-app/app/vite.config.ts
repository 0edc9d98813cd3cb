import { defineConfig } from 'vitest/config';

// Devvit runs one self-contained file.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist/server',
    rollupOptions: { output: { format: 'cjs', entryFileNames: 'index.cjs', codeSplitting: false } },
  },
  test: { include: ['src/**/*.spec.ts'] },
});
