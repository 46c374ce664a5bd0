"""What a user has chosen and loaded: settings, session, user, data sets, current run, caches."""
