/** The longest name of a saved view. */
export const VIEW_NAME_MAX = 40;
/** How many saved views a profile keeps. */
export const SAVED_VIEWS_MAX = 20;
