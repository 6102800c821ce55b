import type { ReactNode } from 'react';
import { stateShapes } from './state-shapes.tsx';

/** The drawings, 16 by 16, stroked with the ink of their surroundings. Names beginning with `s-` are states. */
export const iconShapes = {
  ...stateShapes,
  activity: (
    <>
      <path d="M1.75 8.5h2.8l2-5 3 9 2-4h2.7" />
    </>
  ),
  agents: (
    <>
      <circle cx="4" cy="4" r="2" />
      <circle cx="12" cy="8" r="2" />
      <circle cx="4" cy="12" r="2" />
      <path d="M5.9 4.9 10.2 7M5.9 11.1 10.2 9" />
    </>
  ),
  cal: (
    <>
      <rect x="2.25" y="3" width="11.5" height="10.75" rx="2" />
      <path d="M2.5 6.5h11M5.5 1.75v2.5M10.5 1.75v2.5" />
    </>
  ),
  cd: (
    <>
      <path d="m3.8 6.2 4.2 4.2 4.2-4.2" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.4 3.2 3.2L13 4.6" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.8V8l2.2 1.4" />
    </>
  ),
  copy: (
    <>
      <rect x="5.4" y="5.4" width="8.2" height="8.2" rx="1.6" />
      <path d="M10.4 2.9A1.4 1.4 0 0 0 9.2 2.4H4A1.6 1.6 0 0 0 2.4 4v5.2c0 .6.2 1 .6 1.3" />
    </>
  ),
  cr: (
    <>
      <path d="m6.2 3.8 4.2 4.2-4.2 4.2" />
    </>
  ),
  devices: (
    <>
      <rect x="1.5" y="3" width="9.5" height="7" rx="1.2" />
      <path d="M4 13h4" />
      <rect x="10.8" y="6.2" width="3.8" height="7" rx="1" />
    </>
  ),
  dots: (
    <>
      <g fill="currentColor" stroke="none">
        <circle cx="3.4" cy="8" r="1.2" />
        <circle cx="8" cy="8" r="1.2" />
        <circle cx="12.6" cy="8" r="1.2" />
      </g>
    </>
  ),
  export: (
    <>
      <path d="M8 9.8V2.2M5 5l3-2.9L11 5M2.6 9.6v2.6a1.4 1.4 0 0 0 1.4 1.4h8a1.4 1.4 0 0 0 1.4-1.4V9.6" />
    </>
  ),
  external: (
    <>
      <path d="M6.4 3.2H4A1.4 1.4 0 0 0 2.6 4.6V12A1.4 1.4 0 0 0 4 13.4h7.4a1.4 1.4 0 0 0 1.4-1.4V9.6M9.4 2.6h4v4M13.2 2.8 7.8 8.2" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.6 8 3.6 14.5 8 14.5 8 12 12.4 8 12.4 1.5 8 1.5 8Z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  file: (
    <>
      <path d="M9 1.75H4.8A1.3 1.3 0 0 0 3.5 3v10a1.3 1.3 0 0 0 1.3 1.25h6.4A1.3 1.3 0 0 0 12.5 13V5.2Z" />
      <path d="M9 1.9v3.4h3.4" />
    </>
  ),
  filter: (
    <>
      <path d="M2.5 4h11M4.8 8h6.4M6.8 12h2.4" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.4 8h11.2M8 2.3c3.2 3.4 3.2 8 0 11.4-3.2-3.4-3.2-8 0-11.4Z" />
    </>
  ),
  hand: (
    <>
      <path d="M8 1.75 13 3.6v4c0 3.2-2.1 5.3-5 6.6-2.9-1.3-5-3.4-5-6.6v-4Z" />
      <path d="m5.8 7.8 1.6 1.6 2.8-3" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.5 6.4a1.6 1.6 0 1 1 2.4 1.4c-.6.3-.9.6-.9 1.1" />
      <circle cx="8" cy="11" r=".4" fill="currentColor" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.4v3.2" />
      <circle cx="8" cy="5.2" r=".4" fill="currentColor" />
    </>
  ),
  join: (
    <>
      <path d="M2.2 3.4h2.2c2.6 0 2.2 4.6 4.8 4.6h4.6M2.2 12.6h2.2c2.6 0 2.2-4.6 4.8-4.6M11.2 5.4 13.8 8l-2.6 2.6" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="8" r="3" />
      <path d="M8 8h6v2.4M11.4 8v2" />
    </>
  ),
  laptop: (
    <>
      <rect x="3" y="3.25" width="10" height="7" rx="1.2" />
      <path d="M1.4 12.75h13.2" />
    </>
  ),
  lock: (
    <>
      <rect x="3" y="7" width="10" height="6.75" rx="1.6" />
      <path d="M5.2 6.8V5a2.8 2.8 0 0 1 5.6 0v1.8" />
    </>
  ),
  mac: (
    <>
      <rect x="1.75" y="2.5" width="12.5" height="8.25" rx="1.4" />
      <path d="M8 10.8v2.4M5.4 13.4h5.2" />
    </>
  ),
  mail: (
    <>
      <rect x="1.75" y="3.25" width="12.5" height="9.5" rx="1.8" />
      <path d="m2.2 4.6 5.8 4.2 5.8-4.2" />
    </>
  ),
  model: (
    <>
      <path d="M8 2v3.2M8 10.8V14M2 8h3.2M10.8 8H14M4 4l1.9 1.9M10.1 10.1 12 12M12 4l-1.9 1.9M5.9 10.1 4 12" />
    </>
  ),
  moon: (
    <>
      <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z" />
    </>
  ),
  needs: (
    <>
      <path d="M8 1.6 14.4 8 8 14.4 1.6 8Z" />
      <path d="M8 5.2v3.3" />
      <circle cx="8" cy="10.7" r=".5" fill="currentColor" />
    </>
  ),
  pause: (
    <>
      <path d="M5.6 3.6v8.8M10.4 3.6v8.8" />
    </>
  ),
  pen: (
    <>
      <path d="M10.6 2.8 13.2 5.4 5.6 13H3v-2.6Z" />
    </>
  ),
  play: (
    <>
      <path d="M5 3.2v9.6l7.4-4.8Z" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3.2v9.6M3.2 8h9.6" />
    </>
  ),
  runs: (
    <>
      <path d="M2.5 4h11M2.5 8h11M2.5 12h6.5" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.3 10.3 3.2 3.2" />
    </>
  ),
  server: (
    <>
      <rect x="2" y="2.5" width="12" height="4.6" rx="1.2" />
      <rect x="2" y="8.9" width="12" height="4.6" rx="1.2" />
      <path d="M4.8 4.8h.01M4.8 11.2h.01M8 4.8h3.4M8 11.2h3.4" />
    </>
  ),
  shield: (
    <>
      <path d="M8 1.75 13 3.6v4c0 3.2-2.1 5.3-5 6.6-2.9-1.3-5-3.4-5-6.6v-4Z" />
    </>
  ),
  sliders: (
    <>
      <path d="M2 5h6M11.5 5H14M2 11h2.5M8 11h6" />
      <circle cx="9.7" cy="5" r="1.7" />
      <circle cx="6.2" cy="11" r="1.7" />
    </>
  ),
  split: (
    <>
      <path d="M8 13.8V9.2L3.6 4.6M8 9.2l4.4-4.6" />
      <path d="M3.4 7.2V4.4h2.8M12.6 7.2V4.4H9.8" />
    </>
  ),
  stop: (
    <>
      <rect x="3.8" y="3.8" width="8.4" height="8.4" rx="1.4" />
    </>
  ),
  swap: (
    <>
      <path d="M2.5 5.4h10M9.8 2.6l2.8 2.8-2.8 2.8M13.5 11h-9M6.2 8.4 3.5 11l2.7 2.6" />
    </>
  ),
  sync: (
    <>
      <path d="M13.4 6.6A5.6 5.6 0 0 0 3.3 4.9M2.6 9.4a5.6 5.6 0 0 0 10.1 1.7" />
      <path d="M3 2.2v2.9h2.9M13 13.8v-2.9h-2.9" />
    </>
  ),
  terminal: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.8" />
      <path d="m4.4 6 2.2 2-2.2 2M8.4 10.2h3" />
    </>
  ),
  tower: (
    <>
      <rect x="4" y="1.75" width="8" height="12.5" rx="1.4" />
      <path d="M6.4 4.6h3.2M6.4 7h3.2" />
      <circle cx="8" cy="11.4" r=".6" fill="currentColor" />
    </>
  ),
  undo: (
    <>
      <path d="M3 6.4h6.6a3.4 3.4 0 0 1 0 6.8H6.4M5.8 3.4 2.8 6.4l3 3" />
    </>
  ),
  user: (
    <>
      <circle cx="8" cy="5.4" r="2.6" />
      <path d="M3 13.4a5 5 0 0 1 10 0" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.2 14.3 13H1.7Z" />
      <path d="M8 6.4v3.2" />
      <circle cx="8" cy="11.3" r=".4" fill="currentColor" />
    </>
  ),
  x: (
    <>
      <path d="m4.2 4.2 7.6 7.6m0-7.6-7.6 7.6" />
    </>
  ),
  'chevron-up': (
    <>
      <path d="m3.8 9.8 4.2-4.2 4.2 4.2" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof iconShapes;
