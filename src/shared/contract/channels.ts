/** The two channels between a window and its host; anything else is refused. */
export const CALL_CHANNEL = 'fencepost:call';
export const CHANGE_CHANNEL = 'fencepost:change';
