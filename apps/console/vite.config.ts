import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The server writes the HTML and finds the files by the manifest. Nothing is inlined: its policy runs and styles files only.
export default defineConfig({
  base: '/console/',
  publicDir: false,
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['src/main.tsx', 'src/console.tsx'] },
  },
});
