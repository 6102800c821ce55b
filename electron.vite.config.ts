import path from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const at = (...parts: string[]) => path.join(import.meta.dirname, ...parts);

// Everything is bundled but the native database: an unpacked application then needs no node_modules besides it.
export default defineConfig({
  main: {
    build: {
      target: 'node20.18',
      outDir: 'out/main',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('src/main/index.ts') },
        // ws tries its two optional accelerators and does without them.
        external: ['better-sqlite3', 'bufferutil', 'utf-8-validate'],
      },
    },
  },
  preload: {
    build: {
      target: 'node20.18',
      outDir: 'out/preload',
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('src/preload/index.ts') },
        // A sandboxed preload must be CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    // The same files are served from app://fencepost/ and from a loopback address.
    base: './',
    plugins: [react(), tailwindcss()],
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      // Inlined scripts and data: fonts would need holes in the content security policy.
      assetsInlineLimit: 0,
      minify: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: { index: at('src/renderer/index.html') } },
    },
  },
});
