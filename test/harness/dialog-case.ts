import type { Locator, Page } from '@playwright/test';
import type { AnswersAt } from './screen-cases.ts';

/** One dialog of the window, and how a person comes to it. */
export interface DialogCase {
  /** Of its picture. */
  readonly name: string;
  /** The component that shows it: its file in src/renderer, and its name there. */
  readonly source: string;
  readonly at: string;
  readonly title: string;
  readonly answers?: AnswersAt;
  /** What has to be done on the screen before there is anything to open. */
  readonly before?: (page: Page) => Promise<void>;
  /** What opens it, and has the focus again when it is closed. */
  readonly opener: (page: Page) => Locator;
  /** How, where that is not one press of the opener. */
  readonly open?: (page: Page, opener: Locator) => Promise<void>;
  /** Steps inside it, to what is looked at. */
  readonly inside?: (dialog: Locator) => Promise<void>;
}

/** The first button of that name. */
export const button =
  (name: string | RegExp) =>
  (page: Page): Locator =>
    page.getByRole('button', { name, exact: true }).first();
