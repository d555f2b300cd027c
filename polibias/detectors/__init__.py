"""What a response is, read from its text alone: each detector decides one thing and says where it saw it."""
