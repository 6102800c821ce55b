import type { ReactNode } from 'react';

/** The shapes of states. Filled ones want attention, outlined ones don't: it works in grey too. */
export const stateShapes = {
  's-approve': (
    <>
      <rect x="1.75" y="1.75" width="12.5" height="12.5" rx="3.2" fill="currentColor" stroke="none" />
      <g className="glyph-stroke">
        <circle cx="8" cy="6" r="1.7" />
        <path d="M4.9 11.6a3.1 3.1 0 0 1 6.2 0" />
      </g>
    </>
  ),
  's-done': (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m5.4 8.2 1.8 1.8 3.4-3.8" />
    </>
  ),
  's-else': (
    <>
      <path d="M8 2.25A5.75 5.75 0 1 1 2.25 8" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
  's-fail0': (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="m6 6 4 4m0-4-4 4" />
    </>
  ),
  's-fail1': (
    <>
      <path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2Z" fill="currentColor" stroke="none" />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" className="glyph-stroke" />
    </>
  ),
  's-missed': (
    <>
      <path d="M8 2.25A5.75 5.75 0 0 1 12.4 11.7M10.4 13.2A5.75 5.75 0 0 1 3.5 4.4" />
      <path d="M8 5v3.2" />
      <path d="M2.6 2.6l10.8 10.8" />
    </>
  ),
  's-on': (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <circle cx="8" cy="8" r="2.6" fill="currentColor" stroke="none" />
    </>
  ),
  's-ref': (
    <>
      <path d="M8 1.75 13 3.6v4c0 3.2-2.1 5.3-5 6.6-2.9-1.3-5-3.4-5-6.6v-4Z" />
      <path d="M5.6 7.8h4.8" />
    </>
  ),
  's-run': (
    <>
      <path d="M8 2.25A5.75 5.75 0 1 1 2.25 8" />
      <circle cx="8" cy="8" r="2.4" fill="currentColor" stroke="none" />
    </>
  ),
  's-stop': (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <rect x="5.9" y="5.9" width="4.2" height="4.2" rx=".6" fill="currentColor" stroke="none" />
    </>
  ),
  's-unclear': (
    <>
      <path d="M8 1.2 14.8 8 8 14.8 1.2 8Z" fill="currentColor" />
      <path d="M6.3 6.5a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.9.65-.9 1.2" className="glyph-stroke" />
      <circle cx="8" cy="11.3" r=".9" stroke="none" className="glyph-fill" />
    </>
  ),
  's-wait': (
    <>
      <circle cx="8" cy="8" r="5.75" strokeDasharray="2.1 2.4" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;
