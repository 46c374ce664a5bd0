"""What a server needs besides its pages: configuration, processes with limits, and the workspaces of all users."""
